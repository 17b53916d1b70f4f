import { ApiProperty, OmitType } from '@nestjs/swagger';
import {
  PartialUpdateOf,
  MultilineText,
  IsInstantField,
  IsOptionalField,
  OptionalInstant,
  IsNullableField,
  NestedObject,
  RequiredMultilineText,
  QueryBoolean,
  RecordId,
  RequiredTextLine,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';

export class FreezeRequest {
  /**
   * Reason of the freeze, which every member whose start is refused sees.
   * @example "Release 4.2 goes out"
   */
  @RequiredMultilineText(500)
  reason: string;

  /**
   * Start of the freeze; absent: now.
   * @example "2029-12-30T18:00:00Z"
   */
  @OptionalInstant()
  from?: string;

  /**
   * End of the freeze.
   * @example "2030-01-01T08:00:00Z"
   */
  @IsInstantField()
  until: string;
}

export class CreateCollectionRequest {
  /**
   * Unique in the parent collection, regardless of case.
   * @example "Releases"
   */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /** Parent collection; absent: top level. */
  @IsOptionalField()
  @RecordId()
  parentId?: string;

  /**
   * Freeze: for a time, refuses starts of plans in this collection and its nested collections. Only admins can send it.
   */
  @IsOptionalField()
  @NestedObject(() => FreezeRequest)
  freeze?: FreezeRequest;
}

export class UpdateCollectionRequest extends PartialUpdateOf(
  OmitType(CreateCollectionRequest, ['parentId', 'freeze']),
) {
  /** Parent collection; null: top level. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @RecordId()
  parentId?: string | null;

  /** Freeze of the collection; null lifts it. Only admins can send it. */
  @ApiProperty({ type: () => FreezeRequest, nullable: true, required: false })
  @IsNullableField()
  @NestedObject(() => FreezeRequest)
  freeze?: FreezeRequest | null;
}

export class ListCollectionsQuery extends NamedListQuery {
  /** Only direct children of this collection. */
  @QueryId()
  parentId?: string;

  /** `true`: only collections at the top level; `false`: only nested collections. */
  @QueryBoolean()
  topLevel?: boolean;
}
