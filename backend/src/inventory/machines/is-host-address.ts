import { registerDecorator } from 'class-validator';
import { hostAddressFault } from '../../common/network/host-address.js';

export function IsHostAddress(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isHostAddress',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && hostAddressFault(value) === null,
        defaultMessage: (args) =>
          (typeof args?.value === 'string' ? hostAddressFault(args.value) : null) ?? 'hostname must be a text',
      },
    });
}
