/** Finds an sshd; installs or unpacks the package openssh-server if necessary. Rejects with a one-line error. */
export function ensureSshd(options?: {
  log?: (line: string) => void;
  /** Folder for the unpacked package if it cannot be installed. Default: `.cache/sshd` in the repository. */
  cacheDir?: string;
}): Promise<string>;

/** As root: creates the account if necessary and returns its name. Otherwise: returns the name of the current user. */
export function ensureLoginUser(name?: string, home?: string): Promise<string>;

export interface SshdOptions {
  /** Result of ensureSshd(). */
  sshdPath: string;
  /**
   * Folder for configuration, host key and log. Created if necessary, kept after a stop. Several addresses use one
   * subfolder each.
   */
  dir: string;
  /** IPv4 loopback addresses to listen on. Default: `127.0.0.1`. */
  addresses?: readonly string[];
  /**
   * All addresses are one host: one sshd and one host key, with files directly in `dir`. Default: each address is a
   * separate host.
   */
  oneMachine?: boolean;
  /** Port for all addresses; 0 (default) = any free port. */
  port?: number;
  /** Skips the test whether the port is free. For addresses of another network, which this process cannot bind. */
  claimed?: boolean;
  /** Lines of an authorized_keys file. */
  authorizedKeys?: readonly string[];
  /**
   * Each host uses a home folder in `dir` instead of that of the account. The keys are in its `~/.ssh/authorized_keys`.
   */
  ownHome?: boolean;
  hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa';
  /** Lines of sshd_config; they override the defaults. */
  extraConfig?: string;
  /** Returned as `user`. Default: account of ensureLoginUser(). */
  user?: string;
}

export interface ShownHostKey {
  /** Type as in a public key line, such as `ssh-ed25519`. */
  type: string;
  /** Wire format of the key in Base64. */
  publicKey: string;
  /** `SHA256:` and unpadded Base64. */
  fingerprint: string;
}

export interface RunningSshd {
  /** Process ID of the sshd on the first address. */
  readonly pid: number;
  /** Process ID per address; a single one with `oneMachine`. */
  readonly pids: readonly number[];
  readonly port: number;
  readonly addresses: string[];
  readonly user: string;
  /** Host key of the first address. */
  readonly hostKey: ShownHostKey;
  /** Host key of an address; that of the first address for an unknown one. */
  hostKeyOf(address: string): ShownHostKey;
  /** Ends the server, its sessions and their processes. */
  stop(): Promise<void>;
  /** Kills the same processes immediately, like a host that crashes. */
  kill(): void;
  addAuthorizedKey(line: string): Promise<void>;
}

export function startSshd(options: SshdOptions): Promise<RunningSshd>;
