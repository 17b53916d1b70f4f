import ssh2, { type Client, type ParsedKey } from 'ssh2';
import { encodeWireString } from '../keys/ssh-wire.js';
import { replaceNextMessage } from '../ssh2/login-requests.js';
import { getCertificateState, parseUserCertificate, type Certificate } from '../keys/certificate.js';

export type CertificateLoginState = 'not_tried' | 'refused' | 'used';

type CertificateLoginAttempt = { type: 'agent'; username: string; agent: ssh2.BaseAgent } | PublicKeyAttempt;
interface PublicKeyAttempt {
  type: 'publickey';
  username: string;
  key: string;
}
type SignCallback = (error?: Error | null, signature?: Buffer) => void;

/**
 * Logs in with a certificate, and with the plain key if the host refuses the certificate. ssh2 (1.17) does not support
 * certificates. It therefore gets the certificate as a key of an agent, and this class replaces the signed request.
 */
export class CertificateLogin {
  use: CertificateLoginState = 'not_tried';
  /** Reason why the certificate was not used; null: it was used, or not tried yet. */
  reason: string | null = null;
  private client: Client | null = null;
  private readonly attempts: CertificateLoginAttempt[];

  /** @param line certificate line; not sent to the host before or after its validity */
  constructor(username: string, privateKey: string, line: string, now: Date) {
    const plain: PublicKeyAttempt = { type: 'publickey', username, key: privateKey };
    const certificate = parseUserCertificate(line);
    const state = getCertificateState(certificate, now);
    const key = ssh2.utils.parseKey(privateKey);
    const usable = state === 'valid' && !(key instanceof Error) && !Array.isArray(key);
    this.attempts = usable
      ? [{ type: 'agent', username, agent: new CertificateAgent(key, certificate, () => this.client) }, plain]
      : [plain];
    if (state === 'expired') this.reason = `the certificate expired at ${formatOptionalDate(certificate.validUntil)}`;
    if (state === 'not_yet_valid')
      this.reason = `the certificate is only valid from ${formatOptionalDate(certificate.validFrom)}`;
  }

  readonly nextAttempt = (): CertificateLoginAttempt | false => {
    const attempt = this.attempts.shift() ?? false;
    if (attempt && attempt.type === 'agent') this.use = 'used';
    else if (this.use === 'used') {
      this.use = 'refused';
      this.reason = 'the host refused the certificate';
    }
    return attempt;
  };

  of(client: Client): void {
    this.client = client;
  }
}

const formatOptionalDate = (date: Date | null) => date?.toISOString() ?? '';

class CertificateAgent extends ssh2.BaseAgent {
  private readonly identity: ParsedKey;
  private readonly algorithm: string;

  constructor(
    private readonly key: ParsedKey,
    { type, blob }: Certificate,
    private readonly clientOf: () => Client | null,
  ) {
    super();
    // RFC 8332: for RSA, the algorithm name differs from the key type.
    this.algorithm = type.startsWith('ssh-rsa-') ? 'rsa-sha2-512' : key.type;
    const name = type.startsWith('ssh-rsa-') ? 'rsa-sha2-512-cert-v01@openssh.com' : type;
    this.identity = Object.create(key, {
      type: { value: name },
      getPublicSSH: { value: () => blob },
    }) as ParsedKey;
  }

  override getIdentities(done: (error?: Error | null, keys?: ParsedKey[]) => void): void {
    done(null, [this.identity]);
  }

  override sign(_: unknown, data: Buffer, options: unknown, callback?: SignCallback): void {
    const done = (callback ?? options) as SignCallback;
    const hash = this.algorithm === 'rsa-sha2-512' ? 'sha512' : undefined;
    const made: Buffer | Error = this.key.sign(data, hash);
    if (made instanceof Error) return done(made);
    const signature = this.algorithm.startsWith('ecdsa-') ? derSignatureToSshNumbers(made) : made;
    // The signature covers the session ID and the request. It is appended to the request with its own algorithm name.
    const request = data.subarray(4 + data.readUInt32BE(0));
    const ending = encodeWireString(Buffer.concat([encodeWireString(this.algorithm), encodeWireString(signature)]));
    const client = this.clientOf();
    if (!client) throw new Error('A certificate was requested before its connection was set.');
    // ssh2 would write the certificate's algorithm name where the signature's algorithm name belongs.
    replaceNextMessage(client, Buffer.concat([request, ending]));
    done(null, signature);
  }
}

/** Converts an ECDSA signature from DER to the SSH format: two integers. */
function derSignatureToSshNumbers(der: Buffer): Buffer {
  let at = (der[1] ?? 0) & 0x80 ? 3 : 2;
  const number = () => {
    const length = der[at + 1] ?? 0;
    at += 2 + length;
    return encodeWireString(der.subarray(at - length, at));
  };
  return Buffer.concat([number(), number()]);
}
