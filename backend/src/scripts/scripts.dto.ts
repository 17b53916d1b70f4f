import { ApiPropertyOptional } from '@nestjs/swagger';
import { ChangeOf, FreeText, Maybe, Nested, Text } from '../common/http/fields.js';
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
  @Text(MAX_CONTENT_BYTES)
  content?: string;

  /** In the place of `content`: the file is read when a run starts. */
  @Maybe()
  @Nested(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /**
   * Program that runs it: a name, or a whole path; `/bin/sh` for a new script unless given.
   * @example "python3"
   */
  @Maybe()
  @Text(256)
  interpreter?: string;

  /** Why it is saved: shown with the revision that this makes, if it makes one. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateScriptRequest extends ChangeOf(CreateScriptRequest) {}

export class ListScriptsQuery extends NamedListQuery {}
