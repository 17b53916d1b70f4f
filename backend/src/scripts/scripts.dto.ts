import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsText,
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  NotBlank,
  QueryText,
  RequiredTextLine,
} from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ContentSourceRequest } from '../library/content-source.dto.js';
import { MAX_CONTENT_BYTES } from '../library/library-kind.js';
import { RevisionMessage } from '../revisions/revision-message.js';

export class CreateScriptRequest {
  /** @example "rotate-logs" */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /** Text of at most 256 KiB. */
  @ApiPropertyOptional({ example: '#!/bin/sh\nlogrotate -f "$1"\n' })
  @IsOptionalField()
  @IsText(MAX_CONTENT_BYTES)
  @NotBlank()
  content?: string;

  /** Instead of `content`: file in a git source, read when a run starts. */
  @IsOptionalField()
  @NestedObject(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /**
   * Program that runs the script: a name or an absolute path, without arguments. Overrides the first line of the
   * script. Null or absent = the first line decides (`#!/bin/bash -e`, `#!/usr/bin/env -S python3 -u`); without one,
   * `/bin/sh` runs it.
   */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'python3' })
  @IsNullableField()
  @RequiredTextLine(256)
  interpreter?: string | null;

  /** Reason for the change, shown with the new revision, if one is created. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateScriptRequest extends PartialUpdateOf(CreateScriptRequest) {}

export class ListScriptsQuery extends NamedListQuery {}

export class InspectScriptQuery {
  /**
   * Interpreter of a step, which overrides that of the script.
   * @example "python3"
   */
  @QueryText(256)
  interpreter?: string;
}
