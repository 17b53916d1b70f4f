import { ApiProperty } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import { IsText, IsOptionalField, NestedObject, NotBlank, IsOneOf, RequiredTextLine } from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';

export const KEY_TYPES = ['ed25519', 'rsa', 'ecdsa'] as const;

export class GenerateKeyRequest {
  /**
   * Algorithm of the new key. Recommended: `ed25519`.
   * @example "ed25519"
   */
  @IsOneOf(KEY_TYPES)
  type: (typeof KEY_TYPES)[number];

  /** rsa: 3072 (default) or 4096; ecdsa: 256 (default), 384 or 521; not allowed for ed25519. */
  @IsOptionalField()
  @IsInt({ message: 'bits must be a whole number' })
  @ApiProperty({ type: 'integer', minimum: 256, maximum: 4096, required: false })
  bits?: number;
}

/** Generates a new pair with `generate`, or imports a `privateKey`. */
export class KeyContent {
  /** Settings of a key that Runward generates; alternative to `privateKey`. */
  @IsOptionalField()
  @NestedObject(() => GenerateKeyRequest)
  generate?: GenerateKeyRequest;

  /** Private key to import, in OpenSSH or PEM format. */
  @IsOptionalField()
  @IsText(20_000)
  @NotBlank()
  privateKey?: string;

  /** Passphrase of the imported private key. It is not stored. */
  @IsOptionalField()
  @IsText(1000)
  passphrase?: string;
}

export class CreateSshKeyRequest extends KeyContent {
  /** @example "deploy" */
  @RequiredTextLine(100)
  name: string;
}

export class PutCertificateRequest {
  /**
   * Content of the `-cert.pub` file.
   * @example "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t… deploy"
   */
  @IsText(20_000)
  @NotBlank()
  certificate: string;
}

export class UpdateSshKeyRequest {
  /** @example "deploy" */
  @IsOptionalField()
  @RequiredTextLine(100)
  name?: string;
}

export class ListSshKeysQuery extends NamedListQuery {}
