import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '@mantine/core';

interface Props extends ButtonProps {
  planId: string;
  /** The run that is repeated: its values are filled in. */
  again?: string;
  /** Start exactly what that run, a dry run, has shown. */
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
