import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** The rules of React's compiler. All others are checked by Oxlint (`.oxlintrc.json`), which has none of these. */
export default tseslint.config({
  files: ['frontend/src/**/*.{ts,tsx}'],
  ignores: ['frontend/src/api/schema.ts'],
  languageOptions: { parser: tseslint.parser },
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  plugins: { 'react-hooks': reactHooks },
  rules: reactHooks.configs.recommended.rules,
});
