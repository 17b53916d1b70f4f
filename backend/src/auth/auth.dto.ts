import { IsText, IsOptionalField, NotBlank } from '../common/http/fields.js';

export class LoginRequest {
  /** @example "admin@demo.runward.local" */
  @IsText(254)
  @NotBlank()
  email: string;

  /**
   * Current password of the member.
   * @example "correct horse battery staple"
   */
  @IsText(1000)
  @NotBlank()
  password: string;

  /** Name of the tenant; required only for members of several tenants. */
  @IsOptionalField()
  @IsText(100)
  @NotBlank()
  tenant?: string;
}
