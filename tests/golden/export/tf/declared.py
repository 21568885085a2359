# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, None], dtype=tf.int64, name="input_ids"),
    tf.TensorSpec(shape=[None, None], dtype=tf.int64, name="attention_mask"),
    tf.TensorSpec(shape=[None, 3, None, None], dtype=tf.float32, name="pixel"),
]
