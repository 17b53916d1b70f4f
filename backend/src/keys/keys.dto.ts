import { IsInt } from 'class-validator';
import { AnyText, Maybe, Nested, NotBlank, OneOf, Text } from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';

export const KEY_TYPES = ['ed25519', 'rsa', 'ecdsa'] as const;

export class GenerateKeyRequest {
  /** @example "ed25519" */
  @OneOf(KEY_TYPES)
  type: (typeof KEY_TYPES)[number];

  /** rsa: 3072 or 4096 (3072 unless given); ecdsa: 256, 384 or 521 (256 unless given); ed25519 takes none. */
  @Maybe()
  @IsInt({ message: 'bits must be a whole number' })
  bits?: number;
}

/** Either `generate` a new pair, or import a `privateKey`. */
export class KeyContent {
  @Maybe()
  @Nested(() => GenerateKeyRequest)
  generate?: GenerateKeyRequest;

  /** A private key to import, in OpenSSH or PEM form. */
  @Maybe()
  @AnyText(20_000)
  @NotBlank()
  privateKey?: string;

  /** What the imported private key is protected with. It is not kept. */
  @Maybe()
  @AnyText(1000)
  passphrase?: string;
}

export class CreateSshKeyRequest extends KeyContent {
  /** @example "deploy" */
  @Text(100)
  name: string;
}

export class PutCertificateRequest {
  /**
   * The line of the file that ends in `-cert.pub`.
   * @example "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t… deploy"
   */
  @AnyText(20_000)
  @NotBlank()
  certificate: string;
}

export class UpdateSshKeyRequest {
  /** @example "deploy" */
  @Maybe()
  @Text(100)
  name?: string;
}

export class ListSshKeysQuery extends NamedListQuery {}
