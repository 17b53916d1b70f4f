import { isUtf8 } from 'node:buffer';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { type FileStep, toContentSource } from '../../../plans/steps/types/file.step.js';
import { type FrozenFile, type FrozenLibrary, toFileKey } from '../../record/run-content.js';
import { renderTemplateCommand } from '../shell/template-command.js';
import type { StepSources, WritingStepType } from './run-step-type.js';
import { describeWriting, getWritingRules, predictWriting, renderStepPath, WRITING_SETTINGS } from './written-file.js';

export const FILE: WritingStepType<FileStep> = {
  runs: 'command',
  rendersInThread: false,
  subjectFields: ['path'],
  getSubject: ({ path }) => path,
  getRules: getWritingRules,
  listRenderedTexts: ({ path }) => [{ kind: 'path', text: path }],
  renderContent: (step, sources) => Promise.resolve(readContent(step, sources)),
  async render(step, sources, facts) {
    const content = readContent(step, sources);
    const rules = await renderStepPath(step, sources, facts);
    return { ...WRITING_SETTINGS, command: renderTemplateCommand(rules, content, null) };
  },
  predict: predictWriting,
  async describe(step, sources) {
    const { sourceName, path, commit, sha256 } = findFile(step, sources.library);
    const content = readContent(step, sources);
    const isText = isUtf8(content) && !content.includes(0);
    const text = isText ? content.toString() : `(${content.length} bytes, not text)`;
    const before = [`commit: ${commit}`, `sha256: ${sha256}`];
    return describeWriting(step, sources, `${path} of ${sourceName}`, { before, file: { text, rendered: true } });
  },
};

const readContent = (step: FileStep, { library }: StepSources): Buffer =>
  Buffer.from(findFile(step, library).base64, 'base64');

function findFile(step: FileStep, library: FrozenLibrary | undefined): FrozenFile {
  const key = toFileKey(toContentSource(step));
  const file = library?.files && Object.hasOwn(library.files, key) ? library.files[key] : undefined;
  if (!file) throw new CommandTemplateError('file_missing', 'The run does not contain this file.');
  return file;
}
