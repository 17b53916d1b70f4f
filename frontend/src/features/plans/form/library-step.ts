import type { PlanStep } from '../../../api/types';

/** Form fields of a script step, except those that commands also have. */
export interface ScriptRow {
  scriptId: string;
  arguments: string[];
  interpreter: string;
}

/** Form fields of a file step, except those that templates also have. */
export interface FileRow {
  gitSourceId: string;
  sourcePath: string;
  /** Empty: the branch of the source. */
  ref: string;
}

export interface TemplateRow {
  templateId: string;
  path: string;
  owner: string;
  group: string;
  mode: string;
  backup: boolean;
  validate: string;
}

export const BLANK_SCRIPT: ScriptRow = { scriptId: '', arguments: [], interpreter: '' };
export const BLANK_FILE: FileRow = { gitSourceId: '', sourcePath: '', ref: '' };
export const BLANK_TEMPLATE: TemplateRow = {
  templateId: '',
  path: '',
  owner: '',
  group: '',
  mode: '',
  backup: false,
  validate: '',
};

export const scriptRow = (step: PlanStep): ScriptRow => ({
  scriptId: step.scriptId ?? '',
  arguments: step.arguments ?? [],
  interpreter: step.interpreter ?? '',
});

export const fileRow = (step: PlanStep): FileRow => ({
  gitSourceId: step.gitSourceId ?? '',
  sourcePath: step.sourcePath ?? '',
  ref: step.ref ?? '',
});

export const templateRow = (step: PlanStep): TemplateRow => ({
  templateId: step.templateId ?? '',
  path: step.path ?? '',
  owner: step.owner ?? '',
  group: step.group ?? '',
  mode: step.mode ?? '',
  backup: step.backup ?? false,
  validate: step.validate ?? '',
});

export const scriptRequest = ({ scriptId, arguments: given, interpreter }: ScriptRow) => ({
  scriptId,
  arguments: given,
  ...(interpreter.trim() ? { interpreter: interpreter.trim() } : {}),
});

export const templateRequest = ({ templateId, path, owner, group, mode, backup, validate }: TemplateRow) => ({
  templateId,
  path: path.trim(),
  backup,
  ...Object.fromEntries(Object.entries({ owner, group, mode, validate }).filter(([, text]) => text.trim() !== '')),
});

export const fileRequest = ({
  gitSourceId,
  sourcePath,
  ref,
  path,
  owner,
  group,
  mode,
  backup,
}: FileRow & TemplateRow) => ({
  gitSourceId,
  sourcePath: sourcePath.trim(),
  path: path.trim(),
  backup,
  ...Object.fromEntries(Object.entries({ ref, owner, group, mode }).filter(([, text]) => text.trim() !== '')),
});

/** Pattern for the paths of these fields within a step, in errors of the server. */
export const LIBRARY_FIELDS =
  /^(scriptId|arguments|interpreter|templateId|gitSourceId|sourcePath|ref|path|owner|group|mode|backup|validate)$/;
