import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '@mantine/core';

interface Props extends ButtonProps {
  planId: string;
  /** ID of a run whose values prefill the form. */
  again?: string;
  /** Whether the run starts only if nothing has changed since the dry run `again`. */
  exact?: boolean;
  children: ReactNode;
  'aria-label'?: string;
}

/** Opens the start dialog of a plan over the current page. The URL contains the dialog. */
export function StartLink({ planId, again, exact = false, ...props }: Props) {
  return (
    <Button
      {...props}
      renderRoot={(root) => (
        <Link
          {...root}
          to="."
          search={(before) => ({ ...before, start: planId, again, exact: exact ? ('1' as const) : undefined })}
        />
      )}
    />
  );
}
