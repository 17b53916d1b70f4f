import { Matches } from 'class-validator';
import { IsOptionalField, IsText, OptionalTextLine } from './fields.js';

export const FINGERPRINT_PATTERN = /^SHA256:[A-Za-z0-9+/]{43}$/;
export const FINGERPRINT_MESSAGE = 'fingerprint must be one as ssh-keygen -l prints it: SHA256:…';

/** Host key of a server or git remote: `publicKey` or `fingerprint`, or both of one key. */
export class HostKeyRequest {
  /**
   * Public key line of the host, such as the content of `/etc/ssh/ssh_host_ed25519_key.pub`.
   * @example "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI..."
   */
  @IsOptionalField()
  @IsText(10_000)
  publicKey?: string;

  /**
   * Fingerprint of the key. Runward stores the key itself when the host proves that it owns it.
   * @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY"
   */
  @IsOptionalField()
  @Matches(FINGERPRINT_PATTERN, { message: FINGERPRINT_MESSAGE })
  fingerprint?: string;

  /** Ignored: the record has the field. */
  @IsOptionalField()
  @OptionalTextLine(100)
  type?: string;
}
