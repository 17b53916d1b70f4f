import type { ServerFields } from '../../../fields/server-fields.ts';

export type ImportedValue = string | number | boolean | readonly (string | number | boolean)[];

/** Host on the jump path. Null: the text does not contain the value. */
export interface ImportedJumpHost {
  readonly host: string;
  readonly port: number | null;
  readonly username: string | null;
}

export interface NotCarriedSetting {
  /** Line of the first occurrence, from 1; null: no line is known. */
  readonly line: number | null;
  /** Host or group that contains the part; null: several of them, or the whole text. */
  readonly entry: string | null;
  /** Name of the part, such as `ansible_winrm_transport`; never its value, which may be a secret. */
  readonly what: string;
  readonly reason: string;
  readonly places: number;
}

export interface ImportedHostKey {
  readonly publicKey?: string;
  readonly fingerprint?: string;
  readonly certAuthority?: boolean;
}

/** Fields of servers whose value is not in a text: the import sets them, or the text describes them differently. */
type OtherwiseImportedField = 'externalSource' | 'environmentId' | 'sshKeyId' | 'jumpServerId';

/** Fields of a server that a text can contain. A new server field that belongs here is included without a change. */
export interface ImportedFields
  extends Readonly<Partial<Omit<ServerFields, OtherwiseImportedField | 'name' | 'externalId'>>> {
  readonly name: string;
  readonly externalId?: string;
}

/** Server in a text. Settings have valid values. If there is no `hostname`, the name is the address. */
export interface ImportedHost extends ImportedFields {
  readonly line: number | null;
  readonly variables?: Readonly<Record<string, ImportedValue>>;
  /** The host may have other keys. JSON format only. */
  readonly hostKey?: ImportedHostKey;
  /** All keys of the host, and certificate authorities. JSON format only. */
  readonly hostKeys?: readonly ImportedHostKey[];
  /** External id or name of the jump server; null: direct connection. JSON format only. */
  readonly jumpServer?: string | null;
  readonly leftOut?: string;
  /** Jump path, nearest to Runward first; empty: direct connection, even if a group sets a jump path. */
  readonly jumps?: readonly ImportedJumpHost[];
  readonly unreadWay?: string;
}

export interface ImportFault {
  readonly line: number | null;
  readonly entry: string | null;
  /** Error code in snake_case; never renamed. */
  readonly code: string;
  /** What is wrong and how to fix it. Does not contain the line number. */
  readonly message: string;
}

/** Result of reading a text. If `faults` is not empty, ignore the other fields. */
export interface InventoryText {
  readonly hosts: readonly ImportedHost[];
  readonly notCarried: readonly NotCarriedSetting[];
  /** Number of parts that are not imported and exceed the limit of `notCarried`. */
  readonly moreNotCarried: number;
  readonly faults: readonly ImportFault[];
  readonly moreFaults: number;
}

export const MAX_HOSTS = 10_000;
export const MAX_FAULTS = 20;
export const MAX_NOT_CARRIED = 1000;
