import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import type { StepSources, StepText } from './run-step-type.js';

export async function renderUnlessText(unless: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await renderOrFallback(() => renderer.text('command', unless, values), unless);
  return { text: `unless: ${text}`, rendered };
}

export const joinTexts = (parts: readonly StepText[], separator: string): StepText => ({
  text: parts.map(({ text }) => text).join(separator),
  rendered: parts.every(({ rendered }) => rendered),
});

/** Returns the text `fallback` when facts of earlier steps or of the host are missing. */
export async function renderOrFallback(render: () => string | Promise<string>, fallback: string): Promise<StepText> {
  try {
    return { text: await render(), rendered: true };
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    return { text: fallback, rendered: false };
  }
}
