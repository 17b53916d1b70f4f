import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-content, .cm-gutter': { minHeight: '320px' },
  '.cm-scroller': { maxHeight: '65vh', overflow: 'auto' },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--mantine-primary-color-light-hover)',
  },
});

const COLOURS = HighlightStyle.define([
  {
    tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword, tags.atom, tags.bool, tags.heading],
    color: 'var(--mantine-primary-color-light-color)',
  },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--rw-good)' },
  { tag: [tags.definition(tags.variableName), tags.special(tags.variableName), tags.number], color: 'var(--rw-warn)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--mantine-color-dimmed)' },
]);

/** Theme and syntax colours of all code editors, in light and dark. */
export const EDITOR_STYLE = [THEME, syntaxHighlighting(COLOURS)];
