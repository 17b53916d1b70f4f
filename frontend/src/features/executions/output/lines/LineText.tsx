import { useComputedColorScheme } from '@mantine/core';
import { spansOf, splitAtTerm } from './ansi';
import { readableColours } from './ansi-colors';

/** Text of a line with its colours, in which matches of a search are marked. */
export function LineText({ text, searchTerm }: { text: string; searchTerm: string }) {
  const scheme = useComputedColorScheme('light');
  return spansOf(text).map((span, index) => (
    <span
      key={index}
      className={span.className || undefined}
      style={span.colouring ? readableColours(span.colouring, scheme) : undefined}
    >
      {searchTerm === ''
        ? span.text
        : splitAtTerm(span.text, searchTerm).map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}
    </span>
  ));
}
