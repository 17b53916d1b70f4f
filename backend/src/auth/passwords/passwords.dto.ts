import { MinLength } from 'class-validator';
import { Text } from '../../common/http/fields.js';
import { SHORTEST_PASSWORD } from '../../tenancy/members.dto.js';

const ADVICE = { message: `$property must have at least ${SHORTEST_PASSWORD} characters` };

export class SetPasswordRequest {
  /** What stands behind the `#` of the link. */
  @Text(200)
  secret: string;

  /** @example "correct horse battery staple" */
  @Text(1000)
  @MinLength(SHORTEST_PASSWORD, ADVICE)
  password: string;
}

export class ChangePasswordRequest {
  @Text(1000)
  currentPassword: string;

  /** @example "correct horse battery staple" */
  @Text(1000)
  @MinLength(SHORTEST_PASSWORD, ADVICE)
  newPassword: string;
}
