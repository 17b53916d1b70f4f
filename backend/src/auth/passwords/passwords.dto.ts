import { MinLength } from 'class-validator';
import { IsText, NotBlank } from '../../common/http/fields.js';
import { MIN_PASSWORD_LENGTH } from '../../tenancy/members.dto.js';

const PASSWORD_LENGTH_MESSAGE = { message: `$property must have at least ${MIN_PASSWORD_LENGTH} characters` };

export class SetPasswordRequest {
  /** Part of the link after the `#`. */
  @IsText(200)
  @NotBlank()
  secret: string;

  /**
   * New password, at least 12 characters.
   * @example "correct horse battery staple"
   */
  @IsText(1000)
  @NotBlank()
  @MinLength(MIN_PASSWORD_LENGTH, PASSWORD_LENGTH_MESSAGE)
  password: string;
}

export class ChangePasswordRequest {
  /** Current password, as evidence that the request comes from the member. */
  @IsText(1000)
  @NotBlank()
  currentPassword: string;

  /**
   * New password, at least 12 characters. All other sessions of the member end.
   * @example "correct horse battery staple"
   */
  @IsText(1000)
  @NotBlank()
  @MinLength(MIN_PASSWORD_LENGTH, PASSWORD_LENGTH_MESSAGE)
  newPassword: string;
}
