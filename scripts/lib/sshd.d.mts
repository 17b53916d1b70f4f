/** Finds an sshd. Installs or unpacks the package openssh-server if necessary. Rejects with a one-line error. */
export function ensureSshd(options?: {
  log?: (line: string) => void;
  /** Folder for the unpacked package if it can't be installed. Default: `.cache/sshd` in the repository. */
  cacheDir?: string;
}): Promise<string>;

/** Returns the name of a login account. As root, creates the account if necessary; otherwise uses the current user. */
export function ensureLoginUser(name?: string, home?: string): Promise<string>;

export interface SshdOptions {
  sshdPath: string;
  /**
   * Folder for configuration, host key and log. It is created if necessary, and kept after a stop. If there are several
   * addresses, each has a subfolder.
   */
  dir: string;
  /** IPv4 loopback addresses to listen on. Default: `127.0.0.1`. */
  addresses?: readonly string[];
  /**
   * True: all addresses are one host, with one sshd, one host key, and files directly in `dir`. Default: each address
   * is a separate host.
   */
  oneMachine?: boolean;
  /** Port for all addresses; 0 (default): any free port. */
  port?: number;
  /** True: does not test whether the port is free. For addresses of another network, which this process can't bind. */
  claimed?: boolean;
  authorizedKeys?: readonly string[];
  /**
   * True: each host has a home folder in `dir`, with the keys in `~/.ssh/authorized_keys`, instead of using that of the
   * account.
   */
  ownHome?: boolean;
  /**
   * Folder with one home folder per address, kept after a stop. Like `ownHome`, but for a folder that the login user can
   * reach.
   */
  homes?: string;
  hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa';
  extraConfig?: string;
  /** Login user, returned as `user`. Default: account of `ensureLoginUser`. */
  user?: string;
}

export interface ShownHostKey {
  type: string;
  /** Wire format of the key in Base64. */
  publicKey: string;
  /** `SHA256:` and unpadded Base64. */
  fingerprint: string;
}

export interface RunningSshd {
  readonly pid: number;
  /** Process ID of the sshd per address; only one with `oneMachine`. */
  readonly pids: readonly number[];
  readonly port: number;
  readonly addresses: string[];
  readonly user: string;
  readonly hostKey: ShownHostKey;
  /** Returns the host key of an address. For an unknown address, returns the key of the first address. */
  hostKeyOf(address: string): ShownHostKey;
  stop(): Promise<void>;
  /** Kills the server, its sessions and their processes immediately, like a crash of the host. */
  kill(): void;
  addAuthorizedKey(line: string): Promise<void>;
}

export function startSshd(options: SshdOptions): Promise<RunningSshd>;
