import { ApiProperty } from '@nestjs/swagger';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { IsNullableField, IsOptionalField, OptionalBoolean, OptionalTextLine } from '../../../common/http/fields.js';
import { checkFilePath } from '../../rendering/file-path.js';
import type { Faults } from './faults.js';
import { findTooManyInText, type CheckContext } from './texts.js';

const FILE_OWNER_PATTERN = /^([a-z_][a-z0-9_-]{0,31}|[0-9]{1,9})$/;
const FILE_MODE_PATTERN = /^[0-7]{3,4}$/;

/** Fields of each type that writes a file on hosts. */
export interface WrittenFileFields {
  path: string;
  /** Name or number of a user; null = unchanged. A new file then belongs to the user who writes it. */
  owner: string | null;
  group: string | null;
  /** Octal, such as "0644"; null = unchanged. A new file then gets its mode from the umask. */
  mode: string | null;
  backup: boolean;
}

export const WRITTEN_FILE_DEFAULTS: WrittenFileFields = {
  path: '',
  owner: null,
  group: null,
  mode: null,
  backup: false,
};

export class WrittenFileFieldsRequest {
  /** For types that write a file: its absolute path on the host. */
  @IsOptionalField()
  @OptionalTextLine(4096)
  path?: string;

  /** Name or number of the file's owner; null = unchanged, and a new file belongs to the user who writes it. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(64)
  owner?: string | null;

  /** Name or number of the file's group. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(64)
  group?: string | null;

  /** Octal permissions such as `0644`; null = unchanged. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(8)
  mode?: string | null;

  /** Keeps the replaced file beside the new one, with the time in its name. */
  @OptionalBoolean()
  backup?: boolean;
}

export class WrittenFileFieldsView {
  /** Types that write a file. */
  path?: string;
  @ApiProperty({ type: String, nullable: true, required: false })
  owner?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  group?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  mode?: string | null;
  backup?: boolean;
}

export const WRITTEN_FILE = { request: WrittenFileFieldsRequest, view: WrittenFileFieldsView } as const;

export function* findWrittenFileProblems(step: WrittenFileFields, known: CheckContext): Faults {
  const { path } = known;
  const tooMany = findTooManyInText(step.path, `${path}/path`);
  if (tooMany) yield tooMany;
  else yield* checkFilePath(step.path, known.names, `${path}/path`, known.earlier);
  yield* findOwnerProblems(step.owner, `${path}/owner`);
  yield* findOwnerProblems(step.group, `${path}/group`);
  yield* findModeProblems(step.mode, `${path}/mode`);
}

function findOwnerProblems(owner: string | null, path: string): ProblemItem[] {
  if (owner === null || FILE_OWNER_PATTERN.test(owner)) return [];
  return [{ path, code: 'invalid_user', message: 'Give a name such as www-data, or a number.' }];
}

function findModeProblems(mode: string | null, path: string): ProblemItem[] {
  if (mode === null || FILE_MODE_PATTERN.test(mode)) return [];
  return [{ path, code: 'invalid_mode', message: 'Give the permissions as three or four octal digits, such as 0644.' }];
}
