@_exported import GRDB

/// Cases that only this library supports, in the files of `Cases`.
var ownCases: [any Case.Type] { [] }

/// The function of `FunctionCalls`: this library has one form.
var fastAffine: DatabaseFunction { affine }

/// The tokenizer of `FullTextStopWords`: this library requires a custom tokenizer.
var stopWordTokenizer: FullTextTokenizer { StopWordWrapper.tokenizer }
