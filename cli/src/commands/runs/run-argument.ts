export const RUN_ARGUMENT = 'id of the run, its last 8 characters, or address of its page';
