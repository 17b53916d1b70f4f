import { ApiProperty } from '@nestjs/swagger';
import { IsNullableField, IsOptionalField, OptionalTextLine, RecordId } from '../../../common/http/fields.js';
import type { ContentSource } from '../../../library/library-kind.js';
import { findSourceNameFaults } from '../../../git-sources/urls/git-names.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { findBecomeProblems, findUnlessProblems, START, type StartFields } from '../fields/start.fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import {
  findWrittenFileProblems,
  WRITTEN_FILE,
  WRITTEN_FILE_DEFAULTS,
  type WrittenFileFields,
} from '../fields/written-file.fields.js';
import type { StepTypeDefinition } from './step-type.js';

export interface FileStep extends StepBase, WrittenFileFields, StartFields {
  type: 'file';
  gitSourceId: string;
  sourcePath: string;
  /** Branch, tag or commit; null = the branch of the source. */
  ref: string | null;
}

class FileFieldsRequest {
  /** Git source; required for type `file`. */
  @IsOptionalField()
  @RecordId()
  gitSourceId?: string;

  /** For type `file`: path of the file from the root of the repository. */
  @IsOptionalField()
  @OptionalTextLine(1024)
  sourcePath?: string;

  /** Branch, tag or full commit ID; null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(250)
  ref?: string | null;
}

class FileFieldsView {
  /** Type file, like `sourcePath` and `ref`. */
  gitSourceId?: string;
  sourcePath?: string;
  /** Null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  ref?: string | null;
}

export const FILE = {
  fields: [{ request: FileFieldsRequest, view: FileFieldsView }, WRITTEN_FILE, START, LOOP],
  defaults: {
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
    type: 'file',
    timeoutSeconds: 600,
    gitSourceId: '',
    sourcePath: '',
    ref: null,
    ...WRITTEN_FILE_DEFAULTS,
    become: null,
    unless: null,
  },
  reference: { id: 'gitSourceId', name: 'gitSource', kind: 'git source' },
  *check(step, known) {
    const { path } = known;
    if (step.gitSourceId === '')
      yield {
        path: `${path}/gitSourceId`,
        code: 'required',
        message: 'Choose the git source that the file comes from.',
      };
    yield* findSourceNameFaults({ path: step.sourcePath, ref: step.ref }, path, 'sourcePath');
    yield* findWrittenFileProblems(step, known);
    yield* findBecomeProblems(step.become, `${path}/become`);
    yield* findUnlessProblems(step.unless, known);
  },
  listTexts: ({ path, unless }) => [path, unless],
  listOutputs: () => [],
  mayChangeHosts: () => true,
  getContent: (step) => ({ kind: 'file', source: toContentSource(step) }),
} as const satisfies StepTypeDefinition<FileStep>;

export const toContentSource = ({ gitSourceId, sourcePath, ref }: FileStep): ContentSource => ({
  gitSourceId,
  path: sourcePath,
  ref,
});
