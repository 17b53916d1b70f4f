import { TagsInput, type TagsInputProps } from '@mantine/core';

/** Labels of runs, typed as `key=value`. A comma may stand in a value, so that only Enter ends one. */
export const LabelsInput = (props: Omit<TagsInputProps, 'data' | 'splitChars' | 'acceptValueOnBlur'>) => (
  <TagsInput placeholder="release=2.4.1" splitChars={[]} acceptValueOnBlur {...props} />
);
