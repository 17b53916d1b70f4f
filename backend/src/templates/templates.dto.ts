import { ApiPropertyOptional } from '@nestjs/swagger';
import { AnyText, ChangeOf, FreeText, Maybe, MaybeOneOf, Nested, RecordId, Text } from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ContentSourceRequest } from '../common/library/content-source.dto.js';
import { MAX_CONTENT_BYTES } from '../common/library/library-kind.js';
import { RevisionMessage } from '../common/revisions/revision-message.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import { IsVariableMap } from '../common/variables/variable-map.js';
import type { VariableValue } from '../common/variables/variable-value.js';

const UNKNOWN_NAMES = ['refuse', 'mark'] as const;
type UnknownNames = (typeof UNKNOWN_NAMES)[number];

export class CreateTemplateRequest {
  /** @example "nginx-site" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** Liquid text of at most 256 KiB. `{{ name }}` inserts a variable unchanged. */
  @ApiPropertyOptional({ example: 'listen {{ port }};\n' })
  @Maybe()
  @AnyText(MAX_CONTENT_BYTES)
  content?: string;

  /** Instead of `content`: file in a git source, read when a run starts. */
  @Maybe()
  @Nested(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /** Reason for the change, shown with the new revision, if one is created. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateTemplateRequest extends ChangeOf(CreateTemplateRequest) {}

export class ListTemplatesQuery extends NamedListQuery {}

/** Values for rendering a template. */
abstract class RenderingRequest {
  /** Environment whose variables are used; its secrets are masked. */
  @RecordId()
  environmentId: string;

  /** Server of the environment, for `host.name` and `host.tags`. */
  @Maybe()
  @RecordId()
  serverId?: string;

  /** Further values; they override those of the environment. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { port: 8080 } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Handling of names without a value: the request is refused (default), or they are marked in the file and listed in
   * `unknown`.
   */
  @MaybeOneOf(UNKNOWN_NAMES)
  unknown?: UnknownNames;
}

export class RenderTemplateRequest extends RenderingRequest {
  /** Text that is rendered instead of the saved content. */
  @ApiPropertyOptional({ example: 'listen {{ port | default: 80 }};\n' })
  @Maybe()
  @AnyText(MAX_CONTENT_BYTES)
  content?: string;
}

export class RenderNewTemplateRequest extends RenderingRequest {
  /**
   * Liquid text of at most 256 KiB.
   * @example "listen {{ port | default: 80 }};\n"
   */
  @AnyText(MAX_CONTENT_BYTES)
  content: string;
}
