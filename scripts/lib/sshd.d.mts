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
  /** Configuration, host key, log; made if missing, kept when the server stops. With several addresses a folder in it for each. */
  dir: string;
  /** Loopback addresses (IPv4) to listen on; `127.0.0.1` unless told. */
  addresses?: readonly string[];
  /** All addresses are one host: one sshd, one host key, and its files in `dir` itself. Each is a host of its own unless told. */
  oneMachine?: boolean;
  /** One port for all addresses; 0 (the default) finds a free one. */
  port?: number;
  /** The port is known to be free there, where this process can't try: the addresses are of another network. */
  claimed?: boolean;
  /** Lines as in an authorized_keys file. */
  authorizedKeys?: readonly string[];
  /** Each host has a home folder in `dir` instead of the account's; the keys are in its `~/.ssh/authorized_keys`. */
  ownHome?: boolean;
  hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa';
  /** Lines of sshd_config that win over ours. */
  extraConfig?: string;
  /** Reported as `user`; unless told the account of ensureLoginUser(). */
  user?: string;
}

export interface ShownHostKey {
  /** As in a public key line, for example `ssh-ed25519`. */
  type: string;
  /** Base64 of the key as it goes over the wire. */
  publicKey: string;
  /** `SHA256:` and unpadded base64. */
  fingerprint: string;
}

export interface RunningSshd {
  /** Of the sshd on the first address. */
  readonly pid: number;
  /** Of the sshd on each address. */
  readonly pids: readonly number[];
  readonly port: number;
  readonly addresses: string[];
  readonly user: string;
  /** Of the first address. */
  readonly hostKey: ShownHostKey;
  /** Of an address; for one that it does not listen on, that of the first. */
  hostKeyOf(address: string): ShownHostKey;
  /** Ends the server, its sessions and what they run. */
  stop(): Promise<void>;
  /** The same at once and without a goodbye: a host that drops. */
  kill(): void;
  addAuthorizedKey(line: string): Promise<void>;
}

export function startSshd(options: SshdOptions): Promise<RunningSshd>;
