import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import {
  Maybe,
  MaybeOneOf,
  OneOf,
  QueryInt,
  QueryList,
  QueryText,
  RecordId,
  Text,
  YesNo,
} from '../../../common/http/fields.js';
import { QueryId, SortBy } from '../../../common/http/paging/filters.js';
import { PageQuery } from '../../../common/http/paging/page.dto.js';
import { ConfirmHosts } from '../../fields/confirm-hosts.js';
import { ExternalSource } from '../../fields/server-origin.js';
import { USERNAME, USERNAME_ADVICE } from '../../servers.dto.js';
import { IMPORT_FORMATS, type ImportFormat } from '../formats/texts/inventory-text.js';

/** What becomes of servers that the source does not name any more. */
export const PRUNE_WAYS = ['no', 'disable', 'remove'] as const;
export type PruneWay = (typeof PRUNE_WAYS)[number];

/** What an import does with one server. */
export const IMPORT_ACTIONS = ['create', 'change', 'leave', 'disable', 'remove', 'keep', 'skip', 'refuse'] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];

const SHARE_ADVICE = { message: 'pruneLimitPercent must be a whole number from 0 to 100' };

export class ImportServersRequest {
  /** `json` is a list of servers; the others are what Ansible and OpenSSH read. */
  @OneOf(IMPORT_FORMATS)
  format: ImportFormat;

  /**
   * The text of the inventory.
   */
  @ApiProperty({ example: '[{"name": "web-1", "hostname": "10.0.0.5"}]' })
  @IsString({ message: 'content must be the text of the inventory' })
  @Matches(/\S/, { message: 'content must not be blank' })
  content: string;

  /** Where its servers belong. */
  @RecordId()
  environmentId: string;

  /** The key for new servers; those that are there keep theirs. */
  @Maybe()
  @RecordId()
  sshKeyId?: string;

  /**
   * The login for new servers that the text names none for.
   * @example "deploy"
   */
  @Maybe()
  @Text(64)
  @Matches(USERNAME, { message: USERNAME_ADVICE })
  username?: string;

  /**
   * The outside system that the text comes from. Servers are then recognised by what it calls them (`externalId`, else
   * the name); without it, by their names.
   * @example "netbox"
   */
  @Maybe()
  @ExternalSource()
  source?: string;

  /** What becomes of servers of the source in the environment that the text does not name any more; `no` unless given. */
  @MaybeOneOf(PRUNE_WAYS)
  prune?: PruneWay;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /** The largest share of the source's servers that `prune` may take; 20 unless given. More stops the import. */
  @Maybe()
  @IsInt(SHARE_ADVICE)
  @Min(0, SHARE_ADVICE)
  @Max(100, SHARE_ADVICE)
  pruneLimitPercent?: number;

  /**
   * With `true` a server that can't be imported is left out, such as the second one of one address and login; `notCarried`
   * and the entry tell why. Otherwise such a server stops the whole import.
   */
  @YesNo()
  skipFaulty?: boolean;
}

export class ImportServersQuery {
  /** With `true` nothing is changed: the answer tells what would be. */
  @MaybeOneOf(['true', 'false'])
  preview?: 'true' | 'false';

  /** Seconds to wait for the end of the import before it is answered; 0 unless given. */
  @QueryInt(0, 55)
  wait?: number;
}

export class GetImportQuery {
  /** Seconds to wait for the end of the import before it is answered; 0 unless given. */
  @QueryInt(0, 55)
  wait?: number;
}

export class ListImportsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  @QueryId()
  environmentId?: string;
}

export class ListImportEntriesQuery extends PageQuery {
  @ApiProperty({ description: 'Only what is done with servers in this way; may be given several times.' })
  @QueryList(IMPORT_ACTIONS)
  action?: ImportAction[];

  /** Part of a name. */
  @QueryText()
  q?: string;
}
