import { ApiProperty, OmitType } from '@nestjs/swagger';
import {
  ChangeOf,
  FreeText,
  Instant,
  Maybe,
  MaybeInstant,
  MaybeNull,
  Nested,
  Prose,
  QueryYesNo,
  RecordId,
  Text,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';

export class FreezeRequest {
  /**
   * Shown to everybody whose start is refused.
   * @example "Release 4.2 goes out"
   */
  @Prose(500)
  reason: string;

  /**
   * When it begins; absent: at once.
   * @example "2029-12-30T18:00:00Z"
   */
  @MaybeInstant()
  from?: string;

  /**
   * When it ends.
   * @example "2030-01-01T08:00:00Z"
   */
  @Instant()
  until: string;
}

export class CreateCollectionRequest {
  /** @example "Releases" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** The collection that it lies in; absent: it lies in none. */
  @Maybe()
  @RecordId()
  parentId?: string;

  /** Refuses starts of the plans in it, and in the collections in it, for a time. Only admins may send it. */
  @Maybe()
  @Nested(() => FreezeRequest)
  freeze?: FreezeRequest;
}

export class UpdateCollectionRequest extends ChangeOf(OmitType(CreateCollectionRequest, ['parentId', 'freeze'])) {
  /** Null: it lies in no other. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @RecordId()
  parentId?: string | null;

  /** Null lifts the freeze. Only admins may send it. */
  @ApiProperty({ type: () => FreezeRequest, nullable: true, required: false })
  @MaybeNull()
  @Nested(() => FreezeRequest)
  freeze?: FreezeRequest | null;
}

export class ListCollectionsQuery extends NamedListQuery {
  /** Those that lie in this one, not deeper. */
  @QueryId()
  parentId?: string;

  /** `true`: those that lie in no other; `false`: those that do. */
  @QueryYesNo()
  topLevel?: boolean;
}
