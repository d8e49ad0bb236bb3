/** Standard Schema v1: the members that this project reads. https://standardschema.dev */

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A schema of zod, valibot, arktype or of your own hand: it validates `unknown` and gives `Output`. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, where the library has it. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
  };
}

export type SchemaOutput<S> = S extends StandardSchema<any, infer Output> ? Output : never;
