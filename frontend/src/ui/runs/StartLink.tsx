import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '@mantine/core';

interface Props extends ButtonProps {
  planId: string;
  /** Run whose values prefill the form. */
  again?: string;
  /** Starts only if nothing changed since that dry run. */
  exact?: boolean;
  children: ReactNode;
  'aria-label'?: string;
}

/** Opens the start dialog of a plan over the current page; the dialog is part of the URL. */
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
