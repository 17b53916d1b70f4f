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

  /** At most 256 KiB of Liquid: `{{ name }}` puts a variable in as it is. */
  @ApiPropertyOptional({ example: 'listen {{ port }};\n' })
  @Maybe()
  @AnyText(MAX_CONTENT_BYTES)
  content?: string;

  /** In the place of `content`: the file is read when a run starts. */
  @Maybe()
  @Nested(() => ContentSourceRequest)
  source?: ContentSourceRequest;

  /** Why it is saved: shown with the revision that this makes, if it makes one. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdateTemplateRequest extends ChangeOf(CreateTemplateRequest) {}

export class ListTemplatesQuery extends NamedListQuery {}

/** Whose values a template is rendered with. */
abstract class RenderingRequest {
  /** Whose variables are used; its secrets are shown as masks. */
  @RecordId()
  environmentId: string;

  /** A server of the environment, for `host.name` and `host.tags`. */
  @Maybe()
  @RecordId()
  serverId?: string;

  /** More values; they go before those of the environment. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { port: 8080 } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** What becomes of names without a value: the request is refused (as usual), or they are marked in the file and told in `unknown`. */
  @MaybeOneOf(UNKNOWN_NAMES)
  unknown?: UnknownNames;
}

export class RenderTemplateRequest extends RenderingRequest {
  /** Rendered in place of what is saved. */
  @ApiPropertyOptional({ example: 'listen {{ port | default: 80 }};\n' })
  @Maybe()
  @AnyText(MAX_CONTENT_BYTES)
  content?: string;
}

export class RenderNewTemplateRequest extends RenderingRequest {
  /**
   * At most 256 KiB of Liquid.
   * @example "listen {{ port | default: 80 }};\n"
   */
  @AnyText(MAX_CONTENT_BYTES)
  content: string;
}
