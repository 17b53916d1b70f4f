import { Box } from '@mantine/core';
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { PlanFault } from '../../../api/types';
import { EDITOR_STYLE } from '../../../ui/code/editor-style';
import { offersAt } from '../names/offers';
import { proposalsAt } from './schema-completion';
import { conditionStart, namesInYaml } from './yaml-names';

interface Props {
  /** Initial text. A later value replaces the text, unless both are equal. */
  value: string;
  label: string;
  readOnly: boolean;
  schema: object | undefined;
  faults: readonly PlanFault[];
  /** Position to scroll to. Each new object scrolls again. */
  targetPosition: { line: number; column: number } | null;
  onChange: (text: string) => void;
}

/** YAML editor with completion and error marks. Tab leaves the editor, unless it accepts a completion. */
export function YamlEditor({ value, label, readOnly, schema, faults, targetPosition, onChange }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, schema, onChange });
  useEffect(() => {
    latest.current = { value, schema, onChange };
  });

  useEffect(() => {
    if (!frame.current) return;
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...[lineNumbers(), history(), yaml(), lintGutter(), EDITOR_STYLE],
          EditorState.readOnly.of(readOnly),
          autocompletion({
            override: [(context) => nameOffers(context) ?? completions(context, latest.current.schema)],
          }),
          keymap.of([{ key: 'Tab', run: acceptCompletion }, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [label, readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor)
      editor.dispatch(
        setDiagnostics(
          editor.state,
          faults.map((fault) => diagnostic(editor.state, fault)),
        ),
      );
  }, [faults]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !targetPosition) return;
    const at = offset(editor.state, targetPosition.line, targetPosition.column);
    editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    editor.focus();
  }, [targetPosition]);

  return <Box ref={frame} bd="1px solid var(--mantine-color-default-border)" bdrs="sm" />;
}

function diagnostic(state: EditorState, fault: PlanFault): Diagnostic {
  const from = offset(state, fault.line, fault.column);
  const to = Math.max(from, offset(state, fault.endLine, fault.endColumn));
  return { from, to, severity: 'error', message: fault.reason.text };
}

/** Clamps a position to the current text, which may differ from the validated one. */
function offset(state: EditorState, line: number, column: number): number {
  const { from, length } = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  return from + Math.min(Math.max(0, column - 1), length);
}

/** Completes names within `{{ }}` and in conditions. */
function nameOffers({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const condition = conditionStart(state, pos);
  const start = condition ?? state.doc.lineAt(pos).from;
  const text = state.sliceDoc(start, state.doc.lineAt(pos).to);
  const grammar = condition === null ? 'text' : 'condition';
  const offering = offersAt(text, pos - start, namesInYaml(state, pos), grammar, explicit);
  if (!offering) return null;
  return {
    from: start + offering.from,
    filter: false,
    options: offering.offers.map(({ label, detail, insert }) => ({ label, detail, apply: insert })),
  };
}

function completions(context: CompletionContext, schema: object | undefined): CompletionResult | null {
  if (!schema) return null;
  const word = context.matchBefore(/[\w-]*/);
  if (!context.explicit && (!word || word.from === word.to)) return null;
  const options = proposalsAt(schema, context.state, context.pos);
  if (options.length === 0) return null;
  return {
    from: word?.from ?? context.pos,
    options: options.map(({ info, ...rest }) => ({ ...rest, info: info || undefined })),
  };
}
