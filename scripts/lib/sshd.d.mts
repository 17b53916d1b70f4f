/** Finds an sshd, installing or unpacking the package openssh-server where it is missing. Rejects with one clear line. */
export function ensureSshd(options?: {
  log?: (line: string) => void;
  /** Where the package is unpacked when it cannot be installed; `.cache/sshd` in the repository unless told. */
  cacheDir?: string;
}): Promise<string>;

/** As root makes the account if it is missing and returns its name; otherwise returns the current user's. */
export function ensureLoginUser(name?: string, home?: string): Promise<string>;

export interface SshdOptions {
  /** From ensureSshd(). */
  sshdPath: string;
  /** Configuration, host key, log; made if missing, kept when the server stops. */
  dir: string;
  /** Loopback addresses (IPv4) to listen on; `127.0.0.1` unless told. */
  addresses?: readonly string[];
  /** One port for all addresses; 0 (the default) finds a free one. */
  port?: number;
  /** The port is known to be free there, where this process can't try: the addresses are of another network. */
  claimed?: boolean;
  /** Lines as in an authorized_keys file. */
  authorizedKeys?: readonly string[];
  hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa';
  /** Lines of sshd_config that win over ours. */
  extraConfig?: string;
  /** Reported as `user`; unless told the account of ensureLoginUser(). */
  user?: string;
}

export interface RunningSshd {
  readonly pid: number;
  readonly port: number;
  readonly addresses: string[];
  readonly user: string;
  readonly hostKey: {
    /** As in a public key line, for example `ssh-ed25519`. */
    type: string;
    /** Base64 of the key as it goes over the wire. */
    publicKey: string;
    /** `SHA256:` and unpadded base64. */
    fingerprint: string;
  };
  /** Ends the server, its sessions and what they run. */
  stop(): Promise<void>;
  /** The same at once and without a goodbye: a host that drops. */
  kill(): void;
  addAuthorizedKey(line: string): Promise<void>;
}

export function startSshd(options: SshdOptions): Promise<RunningSshd>;
