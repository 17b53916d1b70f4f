import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AnyText,
  ChangeOf,
  FreeText,
  Maybe,
  MaybeNull,
  Nested,
  NotBlank,
  QueryText,
  Text,
} from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ContentSourceRequest } from '../common/library/content-source.dto.js';
import { MAX_CONTENT_BYTES } from '../common/library/library-kind.js';
import { RevisionMessage } from '../common/revisions/revision-message.js';

export class CreateScriptRequest {
  /** @example "rotate-logs" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** At most 256 KiB of text. */
  @ApiPropertyOptional({ example: '#!/bin/sh\nlogrotate -f "$1"\n' })
  @Maybe()
  @AnyText(MAX_CONTENT_BYTES)
  @NotBlank()
  content?: string;

  /** In the place of `content`: the file is read when a run starts. */
  @Maybe()
  @Nested(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /**
   * Program that runs the script instead of the one that its first line names: a name, or a whole path, without
   * arguments. Null or absent: the first line decides (`#!/bin/bash -e`, `#!/usr/bin/env -S python3 -u`); a script
   * without such a line is run by `/bin/sh`.
   */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'python3' })
  @MaybeNull()
  @Text(256)
  interpreter?: string | null;

  /** Why it is saved: shown with the revision that this makes, if it makes one. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateScriptRequest extends ChangeOf(CreateScriptRequest) {}

export class ListScriptsQuery extends NamedListQuery {}

export class InspectScriptQuery {
  /**
   * Interpreter of a step, which overrides that of the script.
   * @example "python3"
   */
  @QueryText(256)
  interpreter?: string;
}
