/** The API documentation. */
export const reference = {
  'swagger.intro':
    'All API calls of this server. Authenticate with a token from your profile: “Authorization: Bearer …”.',
  'swagger.search': 'Search name, address, summary',
  'swagger.nothing': 'No call matches all the words.',
  'swagger.download': 'OpenAPI document',
  'swagger.parameters': 'Parameters',
  'swagger.body': 'Body',
  'swagger.answer': 'Response',
  'swagger.errors': 'Errors',
  'swagger.required': 'required',
  'swagger.example': 'Example',
  'swagger.try': 'Try it',
  'swagger.send': 'Send',
};
