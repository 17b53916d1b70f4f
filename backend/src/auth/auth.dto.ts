import { AnyText, Maybe, NotBlank } from '../common/http/fields.js';

export class LoginRequest {
  /** @example "admin@demo.runward.local" */
  @AnyText(254)
  @NotBlank()
  email: string;

  /** @example "correct horse battery staple" */
  @AnyText(1000)
  @NotBlank()
  password: string;

  /** Name of the tenant; required only for members of several tenants. */
  @Maybe()
  @AnyText(100)
  @NotBlank()
  tenant?: string;
}
