import { MinLength } from 'class-validator';
import { IsText, NotBlank } from '../../common/http/fields.js';
import { MIN_PASSWORD_LENGTH } from '../../tenancy/members.dto.js';

const PASSWORD_LENGTH_MESSAGE = { message: `$property must have at least ${MIN_PASSWORD_LENGTH} characters` };

export class SetPasswordRequest {
  /** Part of the link after the `#`. */
  @IsText(200)
  @NotBlank()
  secret: string;

  /** @example "correct horse battery staple" */
  @IsText(1000)
  @NotBlank()
  @MinLength(MIN_PASSWORD_LENGTH, PASSWORD_LENGTH_MESSAGE)
  password: string;
}

export class ChangePasswordRequest {
  @IsText(1000)
  @NotBlank()
  currentPassword: string;

  /** @example "correct horse battery staple" */
  @IsText(1000)
  @NotBlank()
  @MinLength(MIN_PASSWORD_LENGTH, PASSWORD_LENGTH_MESSAGE)
  newPassword: string;
}
