import { Box, Input, Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useId } from 'react';
import type { CodeEditorProps } from './CodeEditor';
import classes from './code.module.css';

const CodeEditor = lazy(() => import('./CodeEditor').then((file) => ({ default: file.CodeEditor })));

interface Props extends Omit<CodeEditorProps, 'invalid' | 'describedBy'> {
  description: string;
  withAsterisk: boolean;
  error: ReactNode;
}

/** Form field for code. Its editor is loaded when the field is first shown. */
export function CodeField({ description, withAsterisk, error, ...editor }: Props) {
  const id = useId();
  return (
    <Input.Wrapper
      label={editor.label}
      labelElement="div"
      description={<span id={id}>{description}</span>}
      error={error}
      withAsterisk={withAsterisk}
      size="xs"
    >
      <Box mt={4}>
        <Suspense
          fallback={
            <div className={classes.loading}>
              <Loader size="sm" aria-label="Loading the editor" />
            </div>
          }
        >
          <CodeEditor {...editor} invalid={Boolean(error)} describedBy={id} />
        </Suspense>
      </Box>
    </Input.Wrapper>
  );
}
