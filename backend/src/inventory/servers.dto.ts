import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsVariableMap } from '../variables/variable-map.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import type { VariableValue } from '../variables/variable-value.js';
import { IsBoolean, IsInt, Matches, Max, Min } from 'class-validator';
import {
  PartialUpdateOf,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  NestedObjectList,
  RequiredMultilineText,
  QueryList,
  QueryText,
  QueryBoolean,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
} from '../common/http/fields.js';
import { HostKeyRequest } from '../common/http/host-key.dto.js';
import { QueryId, QueryName, SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';
import { IsIntegerSetting } from './fields/integer-setting.js';
import { ConfirmHosts } from './fields/confirm-hosts.js';
import { IsHostAddress } from './fields/is-host-address.js';
import { MAX_PINS } from './fields/requested-pins.js';
import { ExternalId, ExternalSource } from './fields/server-origin.js';
import { PROTECTION_STATES, type ProtectionState } from './machines/protection-state.js';
import { SERVER_STATES, type ServerState } from './fields/server.entity.js';
import { IsTagMap, TAG_MAP_SCHEMA } from './fields/tags.js';

/** Excludes a `-` at the beginning, and characters that a shell or an option parser interprets. */
export const USERNAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/;
export const USERNAME_MESSAGE = 'username must be a login name, such as deploy';
const PORT_MESSAGE = 'port must be a whole number from 1 to 65535';

/** Host key to pin. A fingerprint alone must be that of a pinned key, or of the key that the last check saw. */
export class PinnedHostKeyRequest extends HostKeyRequest {
  /** Whether the key is a certificate authority that signs host certificates, like `@cert-authority` in known_hosts. */
  @OptionalBoolean()
  certAuthority?: boolean;

  /** Ignored: the record has the field. */
  @OptionalBoolean()
  shared?: boolean;
}

export class CreateServerRequest {
  /** @example "web-1" */
  @RequiredTextLine(100)
  name: string;

  /**
   * Name, IPv4 address, or IPv6 address without brackets. A link-local address has the interface name as its zone:
   * `fe80::1%eth0`.
   * @example "web-1.example.com"
   */
  @RequiredTextLine(253)
  @IsHostAddress()
  hostname: string;

  /** @example 22 */
  @IsOptionalField()
  @IsInt({ message: PORT_MESSAGE })
  @Min(1, { message: PORT_MESSAGE })
  @Max(65535, { message: PORT_MESSAGE })
  port?: number;

  /** @example "deploy" */
  @RequiredTextLine(64)
  @Matches(USERNAME_PATTERN, { message: USERNAME_MESSAGE })
  username: string;

  @RecordId()
  sshKeyId: string;

  @RecordId()
  environmentId: string;

  @ApiPropertyOptional(TAG_MAP_SCHEMA)
  @IsOptionalField()
  @IsTagMap()
  tags?: Record<string, string>;

  /** Disabled servers are never targets of runs. */
  @OptionalBoolean()
  enabled?: boolean;

  /** Host key to pin. Without it, check the server and accept the key that it shows. */
  @IsOptionalField()
  @NestedObject(() => PinnedHostKeyRequest)
  hostKey?: PinnedHostKeyRequest;

  /**
   * All keys that the host can present, one of each type, and authorities of its certificates. Alternative to
   * `hostKey`.
   */
  @IsOptionalField()
  @NestedObjectList(() => PinnedHostKeyRequest, MAX_PINS)
  hostKeys?: PinnedHostKeyRequest[];

  /** Jump server. It can have a jump server too; at most three in a row. Null: direct connection. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, required: false })
  @IsNullableField()
  @RecordId()
  jumpServerId?: string | null;

  /**
   * Whether Runward also offers algorithms of old SSH servers, such as `ssh-rsa` with SHA-1 and
   * `diffie-hellman-group14-sha1`. Default: false. In a protected environment a change needs the grant `approve`, like
   * a change of the address.
   */
  @OptionalBoolean()
  legacyAlgorithms?: boolean;

  /**
   * Time limit of a login, from the TCP connection to the accepted login, in seconds. Null: 20 in runs, 10 in checks,
   * 15 in key rotations. A jump server uses its own limit.
   * @example 60
   */
  @IsIntegerSetting('loginTimeoutSeconds')
  loginTimeoutSeconds?: number | null;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * External system that owns this server; requires `externalId`.
   * @example "netbox"
   */
  @IsOptionalField()
  @ExternalSource()
  externalSource?: string;

  /**
   * Id of this server in the external system; unique per system.
   * @example "device-4711"
   */
  @IsOptionalField()
  @ExternalId()
  externalId?: string;
}

/** Server in the terms of an external system. Fields that are left out keep their value. */
export class UpsertServerRequest extends OmitType(CreateServerRequest, ['externalSource', 'externalId']) {
  /**
   * Plain variables by name. Variables that are left out keep their value. Set a secret with `PUT
   * /api/inventory/servers/{id}/variables/{key}`.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { NODE_ID: 7 } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Jump server, by its external id in the same system, or by its name if no server has that id. Null: direct
   * connection. Alternative to `jumpServerId`.
   */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'device-4710' })
  @IsNullableField()
  @RequiredTextLine(200)
  jumpServer?: string | null;
}

export class UpdateServerRequest extends PartialUpdateOf(
  OmitType(CreateServerRequest, ['hostname', 'hostKey', 'hostKeys', 'externalSource', 'externalId']),
) {
  /** Null, together with `externalId`: no external system owns the server any more. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'netbox' })
  @IsNullableField()
  @ExternalSource()
  externalSource?: string | null;

  @ApiProperty({ type: String, nullable: true, required: false, example: 'device-4711' })
  @IsNullableField()
  @ExternalId()
  externalId?: string | null;

  /**
   * Another hostname, port or jump server clears the pinned host keys: check the server and accept its host key again.
   */
  @IsOptionalField()
  @RequiredTextLine(253)
  @IsHostAddress()
  hostname?: string;
}

export class AcceptHostKeyRequest {
  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * Fingerprint from the last check. Compare it with the fingerprint on the host first.
   * @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY"
   */
  @RequiredTextLine(100)
  @Matches(/^SHA256:[A-Za-z0-9+/]{43}$/, { message: 'fingerprint must look like SHA256:… as the check shows it' })
  fingerprint: string;
}

export class SetHostKeysRequest {
  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * All keys that the host can present, one of each type, and authorities of its certificates. An empty list unpins all
   * keys.
   */
  @NestedObjectList(() => PinnedHostKeyRequest, MAX_PINS)
  hostKeys: PinnedHostKeyRequest[];
}

export class ShareHostKeyRequest {
  /** Whether several machines present the pinned host key, such as copies of one image. */
  @IsBoolean({ message: 'shared must be true or false' })
  shared: boolean;

  /**
   * Reason; recorded in the audit trail.
   * @example "Both were cloned from the image base-12"
   */
  @IsOptionalField()
  @RequiredMultilineText(1000)
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

  /** Only servers in these states. Repeat the parameter for several. */
  @QueryList(SERVER_STATES)
  state?: ServerState[];

  /** Only servers with these protection states. Repeat the parameter for several. */
  @QueryList(PROTECTION_STATES)
  protection?: ProtectionState[];

  /** Only enabled servers (`true`) or only disabled ones (`false`). */
  @QueryBoolean()
  enabled?: boolean;

  /**
   * Label selector over tags and names.
   * @example "role=web,region in (eu, us)"
   */
  @QueryText(1000)
  selector?: string;

  /** `true`: the response contains in `total` the number of servers on all pages. */
  @QueryBoolean()
  count?: boolean;
}
