import ssh2, { type Client, type ParsedKey } from 'ssh2';
import { wireString } from '../keys/ssh-wire.js';
import { certificateState, parseUserCertificate, type Certificate } from '../keys/certificate.js';

/** How a login with a certificate went. */
export type CertificateUse = 'not_tried' | 'refused' | 'used';

type Attempt = { type: 'agent'; username: string; agent: ssh2.BaseAgent } | PlainAttempt;
interface PlainAttempt {
  type: 'publickey';
  username: string;
  key: string;
}
type SignDone = (error?: Error | null, signature?: Buffer) => void;

/** What of the library's insides is needed: it writes the name of the certificate where that of the signature belongs. */
interface Insides {
  _protocol: {
    _packetRW: { write: { allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer } };
  };
}

/**
 * Logs in with a certificate first, and with the plain key where the host refuses that. The library (ssh2 1.17) knows no
 * certificates: it is handed one as a key of an agent, and its signed request is written anew.
 */
export class CertificateLogin {
  use: CertificateUse = 'not_tried';
  /** In words why it was not used; null: it was, or is still to be tried. */
  reason: string | null = null;
  private client: Client | null = null;
  private readonly attempts: Attempt[];

  /** @param line of the certificate; one that has expired, or is not valid yet, is not shown to the host */
  constructor(username: string, privateKey: string, line: string, now: Date) {
    const plain: PlainAttempt = { type: 'publickey', username, key: privateKey };
    const certificate = parseUserCertificate(line);
    const state = certificateState(certificate, now);
    const key = ssh2.utils.parseKey(privateKey);
    const usable = state === 'valid' && !(key instanceof Error) && !Array.isArray(key);
    this.attempts = usable
      ? [{ type: 'agent', username, agent: new CertificateAgent(key, certificate, () => this.client) }, plain]
      : [plain];
    if (state === 'expired') this.reason = `the certificate expired at ${timeOf(certificate.validUntil)}`;
    if (state === 'not_yet_valid') this.reason = `the certificate is valid from ${timeOf(certificate.validFrom)} only`;
  }

  /** For the library's `authHandler`; asked once for each attempt. */
  readonly next = (): Attempt | false => {
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

const timeOf = (date: Date | null) => date?.toISOString() ?? '';

class CertificateAgent extends ssh2.BaseAgent {
  private readonly shown: ParsedKey;
  private readonly algorithm: string;

  constructor(
    private readonly key: ParsedKey,
    { type, blob }: Certificate,
    private readonly clientOf: () => Client | null,
  ) {
    super();
    // RFC 8332: the name of the algorithm is not that of the key.
    this.algorithm = type.startsWith('ssh-rsa-') ? 'rsa-sha2-512' : key.type;
    const name = type.startsWith('ssh-rsa-') ? 'rsa-sha2-512-cert-v01@openssh.com' : type;
    this.shown = Object.create(key, {
      type: { value: name },
      getPublicSSH: { value: () => blob },
    }) as ParsedKey;
  }

  override getIdentities(done: (error?: Error | null, keys?: ParsedKey[]) => void): void {
    done(null, [this.shown]);
  }

  override sign(_: unknown, data: Buffer, options: unknown, callback?: SignDone): void {
    const done = (callback ?? options) as SignDone;
    const hash = this.algorithm === 'rsa-sha2-512' ? 'sha512' : undefined;
    const made: Buffer | Error = this.key.sign(data, hash);
    if (made instanceof Error) return done(made);
    const signature = this.algorithm.startsWith('ecdsa-') ? sshNumbers(made) : made;
    // What is signed is the session's id and the request; the request ends with the signature, under its own name.
    const request = data.subarray(4 + data.readUInt32BE(0));
    const ending = wireString(Buffer.concat([wireString(this.algorithm), wireString(signature)]));
    this.sendInstead(Buffer.concat([request, ending]));
    done(null, signature);
  }

  /** Puts this payload in the place of the next packet that is written. */
  private sendInstead(payload: Buffer): void {
    const client = this.clientOf() as unknown as Insides | null;
    if (!client) throw new Error('A certificate was asked for before its connection.');
    const { write } = client._protocol._packetRW;
    const own = Object.getOwnPropertyDescriptor(write, 'finalize');
    const finalize = write.finalize.bind(write);
    write.finalize = () => {
      if (own) Object.defineProperty(write, 'finalize', own);
      else delete (write as Partial<typeof write>).finalize;
      const packet = write.alloc(payload.length);
      packet.set(payload, write.allocStart);
      return finalize(packet);
    };
  }
}

/** The two numbers of an ECDSA signature in DER, as SSH writes them. */
function sshNumbers(der: Buffer): Buffer {
  let at = (der[1] ?? 0) & 0x80 ? 3 : 2;
  const number = () => {
    const length = der[at + 1] ?? 0;
    at += 2 + length;
    return wireString(der.subarray(at - length, at));
  };
  return Buffer.concat([number(), number()]);
}
