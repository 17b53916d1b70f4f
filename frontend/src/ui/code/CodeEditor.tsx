import { Box } from '@mantine/core';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { StreamLanguage, type StreamParser } from '@codemirror/language';
import { javascript, json } from '@codemirror/legacy-modes/mode/javascript';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { perl } from '@codemirror/legacy-modes/mode/perl';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { EDITOR_STYLE } from './editor-style';
import classes from './code.module.css';
import type { Language } from './languages';

export interface CodeEditorProps {
  /** A later value replaces the text, unless both are equal. */
  value: string;
  label: string;
  language: Language;
  /** Whether to mark Liquid tags and outputs. */
  liquid?: boolean;
  readOnly: boolean;
  invalid: boolean;
  /** ID of the element that describes the editor. */
  describedBy: string;
  /** Position to scroll to. Each new object scrolls again. */
  targetPosition: { line: number; column: number } | null;
  onChange: (text: string) => void;
}

const PARSERS: Record<Exclude<Language, 'text'>, StreamParser<unknown>> = {
  ...{ shell, python, perl, ruby, javascript, json, yaml, toml, nginx },
  ini: properties,
};

const languageOf = (language: Language): Extension =>
  language === 'text' ? [] : StreamLanguage.define(PARSERS[language]);

const LIQUID = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: classes.liquid ?? '' }),
});
const liquidMarks = ViewPlugin.define(
  (view) => ({
    decorations: LIQUID.createDeco(view),
    update(update) {
      this.decorations = LIQUID.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

/** Marks a change that comes from the value, not from the user. */
const FROM_VALUE = Annotation.define<true>();

/** Code editor with line numbers and syntax colours. Tab leaves the editor. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, label, language, liquid = false, readOnly, invalid, describedBy, targetPosition } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const compartments = useRef({ language: new Compartment(), attributes: new Compartment() });
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!frame.current) return;
    const { language: parser, attributes } = compartments.current;
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...[lineNumbers(), history(), EDITOR_STYLE, liquid ? liquidMarks : []],
          ...[parser.of([]), attributes.of([]), EditorState.readOnly.of(readOnly)],
          keymap.of([...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of((update) => {
            const isTyped = !update.transactions.some((transaction) => transaction.annotation(FROM_VALUE));
            if (update.docChanged && isTyped) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [liquid, readOnly]);

  useEffect(() => {
    view.current?.dispatch({ effects: compartments.current.language.reconfigure(languageOf(language)) });
  }, [language, liquid, readOnly]);

  useEffect(() => {
    const attributes = EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': describedBy,
      'aria-invalid': String(invalid),
      spellcheck: 'false',
    });
    view.current?.dispatch({ effects: compartments.current.attributes.reconfigure(attributes) });
  }, [label, describedBy, invalid, liquid, readOnly]);

  useEffect(() => {
    const editor = view.current;
    // The editor has line feeds only: other line ends are no change.
    if (!editor || editor.state.doc.toString() === value.replace(/\r\n?/g, '\n')) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: FROM_VALUE.of(true),
    });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !targetPosition) return;
    const { doc } = editor.state;
    const { from, length } = doc.line(Math.min(Math.max(1, targetPosition.line), doc.lines));
    const anchor = from + Math.min(Math.max(0, targetPosition.column - 1), length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  }, [targetPosition]);

  return <Box ref={frame} bd="1px solid var(--mantine-color-default-border)" bdrs="sm" className={classes.frame} />;
}
