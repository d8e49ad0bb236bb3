/** Compiled input schemas: those of one list of tools share an engine, which is dropped with them. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { JsonObject, StandardSchema } from '@treblehook/types';

type Validate = StandardSchema<unknown>['~standard']['validate'];

/** Gives a function that compiles a schema; it throws for one that cannot be compiled. */
export function schemaEngine(): (schema: JsonObject) => StandardSchema<unknown> {
  const engine = new AjvJsonSchemaValidator();
  return (schema) => {
    // by its address a schema would be found again in place of another one of that address
    const { $id: _address, ...own } = schema;
    const check = engine.getValidator(own);
    const validate: Validate = (value) => {
      const { valid, errorMessage } = check(value);
      return valid ? { value } : { issues: [{ message: errorMessage ?? 'its schema refuses them' }] };
    };
    return Object.freeze({ '~standard': Object.freeze({ version: 1, vendor: 'treblehook-mcp', validate }) });
  };
}
