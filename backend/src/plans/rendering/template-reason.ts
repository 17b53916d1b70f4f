import { LiquidError } from 'liquidjs';
import { TemplateValueError } from './command-engine.ts';

export function toTemplateReason(error: unknown): string {
  if (!(error instanceof LiquidError)) return error instanceof Error ? error.message : String(error);
  const where = `Line ${findLine(error.token.input, error.token.begin)}, ${shortenQuote(error.token.getText())}: `;
  if (error.originalError instanceof TemplateValueError) return where + error.originalError.message;
  return where + error.message.replace(/, line:\d+, col:\d+$/, '.');
}

/** Returns the line of an offset, from 1. @param offset in UTF-16 units */
export const findLine = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

const MAX_QUOTE_LENGTH = 200;
const shortenQuote = (text: string): string =>
  text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
