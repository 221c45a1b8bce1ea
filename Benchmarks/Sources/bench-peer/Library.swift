@_exported import GRDB

/// Cases that only this library can express, in files beside this one.
var ownCases: [any Case.Type] { [] }

/// The function of `FunctionCalls`: this library has one form.
var fastAffine: DatabaseFunction { affine }

/// The tokenizer of `FullTextStopWords`: this library has one way to write it.
var stopWordTokenizer: FullTextTokenizer { StopWordWrapper.tokenizer }
