import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import {
  IsOptionalField,
  OptionalOneOf,
  IsOneOf,
  QueryInteger,
  QueryList,
  QueryText,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
} from '../../../common/http/fields.js';
import { QueryId, SortBy } from '../../../common/http/paging/filters.js';
import { PageQuery } from '../../../common/http/paging/page.dto.js';
import { ConfirmHosts } from '../../fields/confirm-hosts.js';
import { ExternalSource } from '../../fields/server-origin.js';
import { USERNAME_PATTERN, USERNAME_MESSAGE } from '../../servers.dto.js';
import { IMPORT_FORMATS, type ImportFormat } from '../formats/import-formats.js';

/** Actions for servers that the source no longer names. */
export const PRUNE_ACTIONS = ['no', 'disable', 'remove'] as const;
export type PruneAction = (typeof PRUNE_ACTIONS)[number];

/** Actions that an import can plan for a server. */
export const IMPORT_ACTIONS = ['create', 'change', 'leave', 'disable', 'remove', 'keep', 'skip', 'refuse'] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];

const PRUNE_LIMIT_MESSAGE = { message: 'pruneLimitPercent must be a whole number from 0 to 100' };

/** Maximum size of the body of an import, and so of its text. */
export const IMPORT_LIMIT_MIB = 4;

export class ImportServersRequest {
  /** `json` is a list of servers; the other formats are those of Ansible and OpenSSH. */
  @IsOneOf(IMPORT_FORMATS)
  format: ImportFormat;

  /** Text of the inventory. */
  @ApiProperty({ example: '[{"name": "web-1", "hostname": "10.0.0.5"}]', maxLength: IMPORT_LIMIT_MIB * 1024 * 1024 })
  @IsString({ message: 'content must be the text of the inventory' })
  @Matches(/\S/, { message: 'content must not be blank' })
  content: string;

  /** Environment to which the servers belong. */
  @RecordId()
  environmentId: string;

  /** SSH key for new servers; existing servers keep theirs. */
  @IsOptionalField()
  @RecordId()
  sshKeyId?: string;

  /**
   * Login user for new servers without one in the text.
   * @example "deploy"
   */
  @IsOptionalField()
  @RequiredTextLine(64)
  @Matches(USERNAME_PATTERN, { message: USERNAME_MESSAGE })
  username?: string;

  /**
   * External system that the text comes from. Servers are then identified by their id in that system: `externalId`, or
   * the name if it is absent. Without a source, servers are identified by name.
   * @example "netbox"
   */
  @IsOptionalField()
  @ExternalSource()
  source?: string;

  /** Action for servers of the source in this environment that the text no longer names. Default: `no`. */
  @OptionalOneOf(PRUNE_ACTIONS)
  prune?: PruneAction;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /**
   * Maximum percentage of the source's servers that `prune` may affect. If more are affected, the import stops.
   * Default: 20.
   */
  @IsOptionalField()
  @IsInt(PRUNE_LIMIT_MESSAGE)
  @Min(0, PRUNE_LIMIT_MESSAGE)
  @Max(100, PRUNE_LIMIT_MESSAGE)
  pruneLimitPercent?: number;

  /**
   * `true` skips servers that can't be imported, such as a second server with the same address and login. `notCarried`
   * and the entry give the reason. `false` stops the whole import at such a server.
   */
  @OptionalBoolean()
  skipFaulty?: boolean;
}

export class ImportServersQuery {
  /** `true` changes nothing and returns the planned changes. */
  @OptionalOneOf(['true', 'false'])
  preview?: 'true' | 'false';

  /** Maximum time to wait for the end of the import, in seconds. Default: 0. */
  @QueryInteger(0, 55)
  wait?: number;
}

export class GetImportQuery {
  /** Maximum time to wait for the end of the import, in seconds. Default: 0. */
  @QueryInteger(0, 55)
  wait?: number;
}

export class ListImportsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  @QueryId()
  environmentId?: string;
}

export class ListImportEntriesQuery extends PageQuery {
  @ApiProperty({ description: 'Only entries with this action; may be repeated.' })
  @QueryList(IMPORT_ACTIONS)
  action?: ImportAction[];

  /** Part of a server name. */
  @QueryText()
  q?: string;
}
