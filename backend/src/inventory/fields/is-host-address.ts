import { registerDecorator } from 'class-validator';
import { findHostAddressFault } from '../../common/network/host-address.js';

export function IsHostAddress(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isHostAddress',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && findHostAddressFault(value) === null,
        defaultMessage: (args) =>
          (typeof args?.value === 'string' ? findHostAddressFault(args.value) : null) ?? 'hostname must be a text',
      },
    });
}
