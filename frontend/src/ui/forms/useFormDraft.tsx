import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { DraftNotice } from './DraftNotice';
import { useDraft } from './useDraft';

interface Options<T> {
  /** Name of the form, unique in the application. Contains the ID of the record, or `new`. */
  name: string;
  /** Version of the edited record; 0 = a new record. */
  version?: number;
  /** Input to keep. By default all values of the form; a form with secrets leaves them out. */
  values?: Partial<T>;
}

interface FormDraft {
  /** Offers the unsaved edits; null = there are none. */
  notice: ReactNode;
  /** Deletes the draft. To be called when the record is saved. */
  end: () => void;
}

/** Keeps the unsaved input of a form in this tab, and offers it after a reload. */
export function useFormDraft<T extends object>(
  form: Pick<UseFormReturnType<T>, 'values' | 'isDirty' | 'setValues'>,
  { name, version = 0, values = form.values }: Options<T>,
): FormDraft {
  const draft = useDraft<Partial<T>>({ form: name, version, values, isDirty: form.isDirty() });
  const { found, isOutdated, forget, end } = draft;
  const restore = () => {
    if (found) form.setValues(found.values);
    forget();
  };
  return { notice: found && <DraftNotice isOutdated={isOutdated} onRestore={restore} onDiscard={forget} />, end };
}
