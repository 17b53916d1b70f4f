import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsVariableMap } from '../common/variables/variable-map.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import { IsBoolean, IsInt, Matches, Max, Min } from 'class-validator';
import {
  AnyText,
  ChangeOf,
  Maybe,
  MaybeNull,
  Nested,
  NestedList,
  NotBlank,
  Prose,
  QueryList,
  QueryText,
  QueryYesNo,
  RecordId,
  Text,
  YesNo,
} from '../common/http/fields.js';
import { QueryId, QueryName, SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';
import { LoginTimeout } from './fields/login-timeout-field.js';
import { ConfirmHosts } from './fields/confirm-hosts.js';
import { IsHostAddress } from './machines/is-host-address.js';
import { MOST_PINS } from './fields/requested-pins.js';
import { ExternalId, ExternalSource } from './fields/server-origin.js';
import { PROTECTION_STATES, type ProtectionState } from './machines/protection-state.js';
import { SERVER_STATES, type ServerState } from './server.entity.js';
import { IsTagMap, TAG_MAP_SCHEMA } from './fields/tags.js';

/** Names may not begin with `-` nor hold what a shell or an option parser would take for its own. */
export const USERNAME = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/;
export const USERNAME_ADVICE = 'username must be a login name, such as deploy';
const PORT_ADVICE = 'port must be a whole number from 1 to 65535';

/** A host key known beforehand: its fingerprint is compared at the first check, a public key is pinned at once. */
export class PinnedHostKeyRequest {
  /**
   * The host's public key line, e.g. from `/etc/ssh/ssh_host_ed25519_key.pub`.
   * @example "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI..."
   */
  @AnyText(10_000)
  @NotBlank()
  publicKey: string;

  /** It signs host certificates, as `@cert-authority` says in known_hosts; it is no key of the host. */
  @YesNo()
  certAuthority?: boolean;
}

export class CreateServerRequest {
  /** @example "web-1" */
  @Text(100)
  name: string;

  /**
   * A name, an IPv4 address, or an IPv6 address without brackets. A link-local address has the name of an
   * interface as its zone: `fe80::1%eth0`.
   * @example "web-1.example.com"
   */
  @Text(253)
  @IsHostAddress()
  hostname: string;

  /** @example 22 */
  @Maybe()
  @IsInt({ message: PORT_ADVICE })
  @Min(1, { message: PORT_ADVICE })
  @Max(65535, { message: PORT_ADVICE })
  port?: number;

  /** @example "deploy" */
  @Text(64)
  @Matches(USERNAME, { message: USERNAME_ADVICE })
  username: string;

  @RecordId()
  sshKeyId: string;

  @RecordId()
  environmentId: string;

  @ApiPropertyOptional(TAG_MAP_SCHEMA)
  @Maybe()
  @IsTagMap()
  tags?: Record<string, string>;

  /** A disabled server is never a target. */
  @YesNo()
  enabled?: boolean;

  @Maybe()
  @Nested(() => PinnedHostKeyRequest)
  hostKey?: PinnedHostKeyRequest;

  /** Instead of `hostKey`: all keys that the host may show, one of each type, and authorities of its certificates. */
  @Maybe()
  @NestedList(() => PinnedHostKeyRequest, MOST_PINS)
  hostKeys?: PinnedHostKeyRequest[];

  /**
   * The server that this one is reached through; that one may have one before it, three in all. Null: none.
   */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, required: false })
  @MaybeNull()
  @RecordId()
  jumpServerId?: string | null;

  /**
   * Whether Runward also offers algorithms of old SSH servers to it, such as `ssh-rsa` with SHA-1 and
   * `diffie-hellman-group14-sha1`. False unless set. For a server of a protected environment this needs the grant
   * `approve`, as a change of its address does.
   */
  @YesNo()
  legacyAlgorithms?: boolean;

  /**
   * Time limit of a login, from the TCP connection to the accepted login, in seconds. Null: 20 in runs, 10 in checks, 15
   * in key rotations. A jump server has its own.
   * @example 60
   */
  @LoginTimeout()
  loginTimeoutSeconds?: number | null;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * The outside system that knows this server, together with `externalId`.
   * @example "netbox"
   */
  @Maybe()
  @ExternalSource()
  externalSource?: string;

  /**
   * What the outside system calls this server; one server for each.
   * @example "device-4711"
   */
  @Maybe()
  @ExternalId()
  externalId?: string;
}

/** A server as an outside system knows it. What is not named stays as it is. */
export class UpsertServerRequest extends OmitType(CreateServerRequest, ['externalSource', 'externalId']) {
  /**
   * Plain variables by name; those that are not named stay as they are. Secret ones are set by themselves, at
   * `/api/inventory/servers/{id}/variables/{key}`.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { NODE_ID: 7 } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Instead of `jumpServerId`, the server that this one is reached through: by its external id in the same system, else by
   * its name. Null: none.
   */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'device-4710' })
  @MaybeNull()
  @Text(200)
  jumpServer?: string | null;
}

export class UpdateServerRequest extends ChangeOf(
  OmitType(CreateServerRequest, ['hostname', 'hostKey', 'hostKeys', 'externalSource', 'externalId']),
) {
  /** Null, with `externalId`: no outside system keeps it any more. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'netbox' })
  @MaybeNull()
  @ExternalSource()
  externalSource?: string | null;

  @ApiProperty({ type: String, nullable: true, required: false, example: 'device-4711' })
  @MaybeNull()
  @ExternalId()
  externalId?: string | null;

  /** Another hostname, port or jump server takes the pinned host keys away: check and accept again. */
  @Maybe()
  @Text(253)
  @IsHostAddress()
  hostname?: string;
}

export class AcceptHostKeyRequest {
  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * The fingerprint that the last check showed, compared by a person with the host's own.
   * @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY"
   */
  @Text(100)
  @Matches(/^SHA256:[A-Za-z0-9+/]{43}$/, { message: 'fingerprint must look like SHA256:… as the check shows it' })
  fingerprint: string;
}

export class SetHostKeysRequest {
  @ConfirmHosts()
  confirmHosts?: boolean;

  /** All keys that the host may show, one of each type, and authorities of its certificates. Empty: nothing is pinned. */
  @NestedList(() => PinnedHostKeyRequest, MOST_PINS)
  hostKeys: PinnedHostKeyRequest[];
}

export class ShareHostKeyRequest {
  /** Whether several machines show the pinned host key, as copies of one image do. */
  @IsBoolean({ message: 'shared must be true or false' })
  shared: boolean;

  /**
   * Why that is so; kept in the audit trail.
   * @example "Both were cloned from the image base-12"
   */
  @Maybe()
  @Prose(1000)
  reason?: string;
}

export class ListServersQuery extends PageQuery {
  @SortBy(['name', 'createdAt', 'updatedAt', 'state', 'checkedAt'])
  sort?: string;

  @QueryName()
  name?: string;

  /** Part of the name or host name. */
  @QueryText()
  q?: string;

  @QueryId()
  environmentId?: string;

  /** Only servers in this state; may be given several times. */
  @QueryList(SERVER_STATES)
  state?: ServerState[];

  /** Only servers whose protection is one of these; may be given several times. */
  @QueryList(PROTECTION_STATES)
  protection?: ProtectionState[];

  /** Only servers that are enabled, or only such that are not. */
  @QueryYesNo()
  enabled?: boolean;

  /**
   * Label selector over tags and names.
   * @example "role=web,region in (eu, us)"
   */
  @QueryText(1000)
  selector?: string;

  /** With `true` the answer tells in `total` how many servers there are on all pages. */
  @QueryYesNo()
  count?: boolean;
}
