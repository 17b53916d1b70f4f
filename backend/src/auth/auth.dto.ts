import { Maybe, Text } from '../common/http/fields.js';

export class LoginRequest {
  /** @example "admin@demo.runward.local" */
  @Text(254)
  email: string;

  /** @example "correct horse battery staple" */
  @Text(1000)
  password: string;

  /** Name of the tenant; only needed by somebody who is a member of several. */
  @Maybe()
  @Text(100)
  tenant?: string;
}
