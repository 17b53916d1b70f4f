import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsText,
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  OptionalOneOf,
  NestedObject,
  RecordId,
  RequiredTextLine,
} from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ContentSourceRequest } from '../library/content-source.dto.js';
import { MAX_CONTENT_BYTES } from '../library/library-kind.js';
import { RevisionMessage } from '../revisions/revision-message.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import { IsVariableMap } from '../variables/variable-map.js';
import type { VariableValue } from '../variables/variable-value.js';

const UNKNOWN_NAMES = ['refuse', 'mark'] as const;
type UnknownNames = (typeof UNKNOWN_NAMES)[number];

export class CreateTemplateRequest {
  /** @example "nginx-site" */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /** Liquid text of at most 256 KiB. `{{ name }}` inserts a variable unchanged. */
  @ApiPropertyOptional({ example: 'listen {{ port }};\n' })
  @IsOptionalField()
  @IsText(MAX_CONTENT_BYTES)
  content?: string;

  /** Instead of `content`: file in a git source, read when a run starts. */
  @IsOptionalField()
  @NestedObject(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /** Reason for the change, shown with the new revision, if one is created. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateTemplateRequest extends PartialUpdateOf(CreateTemplateRequest) {}

export class ListTemplatesQuery extends NamedListQuery {}

/** Values for rendering a template. */
abstract class RenderingRequest {
  /** Environment whose variables are used; its secrets are masked. */
  @RecordId()
  environmentId: string;

  /** Server of the environment, for `host.name` and `host.tags`. */
  @IsOptionalField()
  @RecordId()
  serverId?: string;

  /** Further values; they override those of the environment. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { port: 8080 } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Handling of names without a value: the request is refused (default), or they are marked in the file and listed in
   * `unknown`.
   */
  @OptionalOneOf(UNKNOWN_NAMES)
  unknown?: UnknownNames;
}

export class RenderTemplateRequest extends RenderingRequest {
  /** Text that is rendered instead of the saved content. */
  @ApiPropertyOptional({ example: 'listen {{ port | default: 80 }};\n' })
  @IsOptionalField()
  @IsText(MAX_CONTENT_BYTES)
  content?: string;
}

export class RenderNewTemplateRequest extends RenderingRequest {
  /**
   * Liquid text of at most 256 KiB.
   * @example "listen {{ port | default: 80 }};\n"
   */
  @IsText(MAX_CONTENT_BYTES)
  content: string;
}
