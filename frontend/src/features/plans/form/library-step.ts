import type { PlanStep } from '../../../api/types';

/** What a step of the type script adds to the editor's row; the fields of programs are those of commands. */
export interface ScriptRow {
  scriptId: string;
  arguments: string[];
  interpreter: string;
}

/** What a step of the type template adds. */
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

export const templateRow = (step: PlanStep): TemplateRow => ({
  templateId: step.templateId ?? '',
  path: step.path ?? '',
  owner: step.owner ?? '',
  group: step.group ?? '',
  mode: step.mode ?? '',
  backup: step.backup ?? false,
  validate: step.validate ?? '',
});

/** The request's part for a script; beside it stands what commands have too. */
export const scriptRequest = ({ scriptId, arguments: given, interpreter }: ScriptRow) => ({
  scriptId,
  arguments: given,
  ...(interpreter.trim() ? { interpreter: interpreter.trim() } : {}),
});

/** The request's part for a template; beside it stand `become` and `unless`. */
export const templateRequest = ({ templateId, path, owner, group, mode, backup, validate }: TemplateRow) => ({
  templateId,
  path: path.trim(),
  backup,
  ...Object.fromEntries(Object.entries({ owner, group, mode, validate }).filter(([, text]) => text.trim() !== '')),
});

/** Paths of the fields that the editor draws for the two types, below a step. */
export const LIBRARY_FIELDS = /^(scriptId|arguments|interpreter|templateId|path|owner|group|mode|backup|validate)$/;
