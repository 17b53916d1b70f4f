/** Content of a text that describes servers, independent of registered servers. */

export const IMPORT_FORMATS = ['json', 'ansible-ini', 'ansible-yaml', 'ansible-json', 'ssh-config'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export type ImportedValue = string | number | boolean | readonly (string | number | boolean)[];

/** Host on the jump path, the first one nearest to Runward. Null = not in the text. */
export interface JumpHost {
  readonly host: string;
  readonly port: number | null;
  readonly username: string | null;
}

/** Content of the text that is not imported, with the reason. */
export interface NotCarried {
  /** Line in the text, from 1; the first of several; null = none. */
  readonly line: number | null;
  /** Host or group that contains it; null = several, or the whole text. */
  readonly entry: string | null;
  /** Name of the skipped content, such as `ansible_winrm_transport`; never its value, which may be a secret. */
  readonly what: string;
  readonly reason: string;
  /** Number of places in the text, which are listed as one. */
  readonly places: number;
}

export interface ImportedHostKey {
  readonly publicKey: string;
  readonly certAuthority?: boolean;
}

/** One server of the text. Undefined = not in the text. */
export interface ImportedHost {
  readonly line: number | null;
  readonly name: string;
  readonly externalId?: string;
  /** Address in the text; defaults to the name. */
  readonly hostname?: string;
  readonly port?: number;
  readonly username?: string;
  readonly enabled?: boolean;
  readonly legacyAlgorithms?: boolean;
  /** In seconds, within the range of the setting; null = the default. */
  readonly loginTimeoutSeconds?: number | null;
  readonly tags?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, ImportedValue>>;
  /** Public host key line. Other keys are possible. Only in JSON. */
  readonly hostKey?: string;
  /** All keys of the host, and authorities of its certificates. Only in JSON. */
  readonly hostKeys?: readonly ImportedHostKey[];
  /** External id or name of the jump server; null = direct. Only in JSON. */
  readonly jumpServer?: string | null;
  readonly leftOut?: string;
  /** Jump path; empty = direct, even if a group says otherwise. */
  readonly jumps?: readonly JumpHost[];
  readonly unreadWay?: string;
}

export interface ImportFault {
  readonly line: number | null;
  readonly entry: string | null;
  /** Stable, in snake_case. */
  readonly code: string;
  /** What is wrong and how to fix it, without the line. */
  readonly message: string;
}

/** Result of reading a text. If `faults` is not empty, do not use the rest. */
export interface InventoryText {
  readonly hosts: readonly ImportedHost[];
  readonly notCarried: readonly NotCarried[];
  /** Number of further items that are not imported and not listed. */
  readonly moreNotCarried: number;
  /** First faults, in text order. */
  readonly faults: readonly ImportFault[];
  readonly moreFaults: number;
}

export interface InventoryTextRequest {
  readonly format: ImportFormat;
  readonly content: string;
}

export const MAX_HOSTS = 10_000;
/** Maximum number of listed `faults` and of listed `notCarried`. */
export const MAX_FAULTS = 20;
export const MAX_NOT_CARRIED = 1000;
